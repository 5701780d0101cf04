" Indentation of trainc: one level more than the line of the innermost open bracket, and one for a line that continues an expression.
if exists("b:did_indent")
  finish
endif
let b:did_indent = 1
setlocal indentexpr=TjIndent() indentkeys=0{,0},0),0],!^F,o,O,e
let b:undo_indent = "setlocal indentexpr< indentkeys<"
if exists("*TjIndent")
  finish
endif

" Does the line above end with an operator, so that this one continues it?
function TjContinued()
  let above = prevnonblank(v:lnum - 1)
  return above > 0 && getline(above) =~# '\%([-+*\/%]\|==\|!=\|\<and\|\<or\)\s*$'
        \ && synIDattr(synID(above, col([above, '$']) - 1, 1), "name") !~# "tjString\\|tjText\\|tjEscape\\|tjComment"
endfunction

function TjIndent()
  let text = getline(v:lnum)
  if v:lnum > 1 && synIDattr(synID(v:lnum, 1, 1), "name") ==# 'tjText'
    return -1
  endif
  call cursor(v:lnum, 1)
  let open = searchpair('[[({]', '', '[])}]', 'bW',
        \ 'synIDattr(synID(line("."), col("."), 1), "name") =~# "tjString\\|tjText\\|tjEscape\\|tjComment"')
  if text =~# '^\s*[])}]'
    return open > 0 ? indent(open) : 0
  endif
  let continues = text =~# '^\s*\%(else\|then\|and\|or\|in\)\>' || text =~# '^\s*\%([-+*\/%<>?]\|==\|!=\)' || TjContinued()
  return (open > 0 ? indent(open) + shiftwidth() : 0) + (continues ? shiftwidth() : 0)
endfunction
