" Indents each file of $LIST as the Vim files of $EDITORS say.
set rtp^=$EDITORS/vim nomore noswapfile
filetype plugin indent on
syntax on
for s:path in readfile($LIST)
  execute 'edit ' . fnameescape(s:path)
  set ft=tj
  normal! gg=G
  write
  bwipeout!
endfor
qa!
