" The classes that the Vim syntax gives: FILE.vim (or FILE.nvim) for each file of $LIST.
set noswapfile
set rtp^=$EDITORS/vim
syntax on
let s:letters = {'tjComment': 'c', 'tjString': 's', 'tjText': 's', 'tjEscape': 's', 'tjNumber': 'n', 'tjKeyword': 'k', 'tjConstant': 'k', 'tjBlock': 'k', 'tjOperator': 'o'}
for s:entry in readfile($LIST)
  let [s:source, s:target] = split(s:entry, "\t")
  execute 'edit ' . fnameescape(s:source)
  set ft=tj
  syntax sync fromstart
  let s:out = []
  for s:l in range(1, line('$'))
    let s:text = ''
    let s:column = 1
    for s:char in split(getline(s:l), '\zs')
      let s:text .= get(s:letters, synIDattr(synID(s:l, s:column, 1), 'name'), '-')
      let s:column += len(s:char)
    endfor
    call add(s:out, s:text)
  endfor
  call writefile(s:out, s:target . (has('nvim') ? '.nvim' : '.vim'))
  bwipeout!
endfor
qa!
