#!/bin/sh
# threads.sh - the example with workers that come and go ends cleanly in an image without libgcc.
#
# A thread that is alive when Python ends is stopped by pthread_exit, for which glibc loads libgcc_s.so.1: without that
# file it aborts the program.  The test makes that file unusable, and the program ends slowly enough for such a thread
# to wake up.
. "$(dirname "$0")/local.inc"
mkdir hook
echo spoiled >hook/libgcc_s.so.1
cat >hook/sitecustomize.py <<'END'
import sys, time
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(1)
sys.slow = Slow()
END
cat >left.py <<'END'
import threading, time
threading.Thread(target=time.sleep, args=[0.5], daemon=True).start()
END
LD_LIBRARY_PATH=$work/hook PYTHONPATH=$work/hook "$python" left.py 2>.err
case $? in
134) ;;
*)
	skip "this Python ends its threads without libgcc"
	end ;;
esac
cp "$root"/examples/16-elastic-workers/* .
local_run 0 pi -e LD_LIBRARY_PATH="$work/hook" -e PYTHONPATH="$work/hook" -e TASKS=8
says out "coordinator/0 │ pi is about 3."
end
