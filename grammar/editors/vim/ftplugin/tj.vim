" Settings for trainc.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal comments=:##,:# commentstring=#\ %s formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2 suffixesadd=.tj
setlocal foldmethod=syntax foldlevel=99
let b:undo_ftplugin = "setlocal comments< commentstring< formatoptions< expandtab< shiftwidth< softtabstop< suffixesadd< foldmethod< foldlevel<"
