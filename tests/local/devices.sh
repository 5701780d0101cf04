#!/bin/sh
# devices.sh - every replica gets devices of its own, or the run is refused.
. "$(dirname "$0")/local.inc"

mkdir dev
for i in 0 1 2 3 4 10; do : >"dev/acme$i"; done
cat >acme.tj <<END
accelerator a1(count: int(1..8)) {
  resource = "example.com/a1"
  per_pod  = count
  devices  = "$work/dev/acme[0-9]*"
  visible  = "ACME_VISIBLE"
  mounts { "/opt/acme" = host_path("$work/driver") }
}
# another name for the same devices
accelerator half(count: int(1..8)) {
  resource = "example.com/half"
  per_pod  = count
  devices  = "$work/dev/acme[0-9]*"
  visible  = "ACME_VISIBLE"
}
accelerator unknown(count: int(1..8)) {
  resource = "example.com/unknown"
  per_pod  = count
}
END
# devices NAME ROLES: writes a program that prints the devices that each replica may use.
devices() {
	{
		cat acme.tj
		printf 'param n: int = 2\njob "%s" {\n  image = "registry.example.com/test:1"\n  memory = 1Mi\n' "$1"
		echo '  command = ["sh", "-c", "echo [\\${ACME_VISIBLE-unset}] $ACME_DEBUG; ls /opt/acme 2>/dev/null; true"]'
		echo "$2"
		echo '}'
	} >"$1.tj"
}
visible() { cat "$TRAINC_STATE_DIR/runs/$1/logs/$2.log"; }
shows() { if test "$(visible "$1" "$2")" = "$3"; then ok; else fail "$1 $2: $(visible "$1" "$2"), not $3"; fi; }

mkdir driver; : >driver/lib
devices split 'role a { replicas = n, accelerator = half(2) }
role b { accelerator = half(1) }
role c {}'
ACME_DEBUG=on; export ACME_DEBUG
local_run 0 split
shows split a-0 '[0,1] on'              # settings of the device library are passed on
shows split a-1 '[2,3] on'
shows split b-0 '[4] on'
shows split c-0 '[] on'                 # a replica that requests no devices gets none

run 8 run --local --set n=3 split.tj
says err "b-0 needs 1 of the devices '$work/dev/acme[0-9]*', but only 0 are available"
says err "--no-devices"
sed 's/role c {/role c { command = ["no-such-program"]/' split.tj >both.tj
run 8 run --local --set n=3 both.tj; says err "b-0 needs 1 of the devices"; says err "command not found: 'no-such-program'"
local_run 0 split --set n=3 --no-devices
shows split a-2 '[] on'
shows split c-0 '[] on'

# devices that the caller hides stay hidden
ACME_VISIBLE=7,3,GPU-5,1 run 8 run --local split.tj
says err "but only 0 are available"
devices few 'role a { replicas = n, accelerator = half(2) }'
export ACME_VISIBLE=7,3,GPU-5,1
local_run 0 few
unset ACME_VISIBLE
shows few a-0 '[7,3] on'
shows few a-1 '[GPU-5,1] on'
ACME_VISIBLE= run 8 run --local few.tj

# partitions of devices have names; there are more of them than device files
devices parts 'role a { replicas = n, accelerator = half(1) }'
export ACME_VISIBLE=MIG-a,MIG-b,MIG-c,MIG-d,MIG-e,MIG-f,MIG-g,MIG-h
local_run 0 parts --set n=8
shows parts a-7 '[MIG-h] on'
run 8 run --local --set n=9 parts.tj; says err "but only 0 are available"
# a device that is listed twice is assigned twice, but not to the same replica
ACME_VISIBLE=3,3,3
local_run 0 parts --set n=3
shows parts a-0 '[3] on'
shows parts a-2 '[3] on'
devices pairs 'role a { accelerator = half(2) }'
run 8 run --local pairs.tj; says err "a-0 needs 2 of the devices '$work/dev/acme[0-9]*'"
ACME_VISIBLE=3,3,1
local_run 0 pairs
shows pairs a-0 '[3,1] on'
# there are no more distinct ids than devices
ACME_VISIBLE=0,1,2,3,4,5,6,7,0
run 8 run --local --set n=8 parts.tj; says err "a-7 needs 1 of the devices"
local_run 0 parts --set n=7
shows parts a-6 '[0] on'
unset ACME_VISIBLE

devices none 'role a { accelerator = unknown(1) }'
run 8 run --local none.tj
says err "role 'a' asks for unknown(1), and that accelerator does not say how its devices look on a machine"
local_run 0 none --no-devices
shows none a-0 '[unset]'

# device drivers are mounted, unless devices are excluded
devices driver 'role a { accelerator = a1(1) }'
if can_mount; then
	local_run 0 driver
	shows driver a-0 '[0] on
lib'
else
	skip "no mount namespaces here"
fi
rm -r driver
run 8 run --local driver.tj; says err "host path '$work/driver'"
local_run 0 driver --no-devices
shows driver a-0 '[] on'

# an elastic role takes devices for its current size
devices elastic 'role a { replicas = 1:8, accelerator = half(1) }'
run 8 run --local elastic.tj
local_run 0 elastic --replicas a=6
shows elastic a-5 '[5] on'

# replicas that a role no longer has give their devices back when their processes have ended, also after a refusal
devices shared 'role a { replicas = 1:5, accelerator = half(1) }
role b { replicas = 1:5, accelerator = half(1), command = ["sh", "-c", "echo [$ACME_VISIBLE]; exec sleep 60"] }'
sed -i 's/true"]/exec sleep 60"]/' shared.tj
begin shared --replicas a=4 --replicas b=1
ready() { test "$(value shared "[len([x for x in r(\"$1\") if x[\"state\"] == \"ready\"]), s[\"phase\"]]")" = "[$2, 'Running']"; }
shared_ready() { ready a "$1" && ready b "$2"; }
before 20 shared_ready 4 1
run 6 scale --local shared b=4; says err "b-2 needs 1 of the devices '$work/dev/acme[0-9]*', but only 0 are available"
run 6 scale --local shared b=9
run 0 scale --local shared a=1
before 20 shared_ready 1 1
run 0 scale --local shared b=4
before 20 shared_ready 1 4
run 0 scale --local shared a=2
before 20 shared_ready 2 4
ask shared stop; answers ok
finish 8 shared
end
