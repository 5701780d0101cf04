" :compiler tj, then :make
if exists("current_compiler")
  finish
endif
let current_compiler = "tj"
CompilerSet makeprg=trainc\ check\ --color\ never\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#
