" Syntax of trainc.  Of two rules that match at one place the later one wins.
if exists("b:current_syntax")
  finish
endif
syn case match
syn match tjName /\<[A-Za-z_]\w*/
syn match tjValue /\<\%(self\|cluster\|pod\)\>/
syn match tjCall /\<\%(len\|range\|sum\|product\|min\|max\|sorted\|unique\|flatten\|find\|abs\|ceil_div\|round\|float\|int\|str\|join\|split\|lines\|replace\|trim\|pad\|cut\|lower\|upper\|starts_with\|ends_with\|matches\|commands\|options\|keys\|values\|has\|json\|sha256\|bytes\|seconds\|millis\|has_digest\|tag\|pvc\|scratch\|own_claim\|secret_files\|config_files\|host_path\|nfs\|csi\|generated\|secret\|config\|config_env\|secret_env\|done\|ready\|started\|tcp\|http\|exec\|near\|prefer\|pack\|env\|object\|fails\)\>\%(\s*(\)\@=/
syn match tjKey /\<[A-Za-z_]\w*\%(\s*\%(==\@!\|+=\|:\|{\)\)\@=/
syn match tjKeyword /\<\%(import\|as\|param\|let\|fn\|type\|project\|policy\|framework\|accelerator\|job\|profile\|test\|check\|warn\|if\|then\|else\|for\|in\|and\|or\|not\)\>/
syn match tjConstant /\<\%(true\|false\|none\)\>/
syn match tjKey /\<\%(import\|as\|param\|fn\|type\|framework\|accelerator\|job\|profile\|test\|policy\)\>\%(\s*{\)\@=/
syn match tjKey /\<\%(import\|as\|param\|fn\|type\|framework\|accelerator\|job\|profile\|test\|policy\|project\|not\|true\|false\|none\)\>\%(\s*\%(==\@!\|+=\|:\)\)\@=/
syn match tjBlock /\<\%(role\|aux\|cell\|sidecar\|init\|raw\|object\)\>\%(\s\+[A-Za-z_]\w*\s*{\)\@=/
syn match tjType /\%(\%(:\|->\)\s*\)\@<=\<\%(bool\|int\|float\|string\|cpu\|memory\|duration\|topology\|range\|elastic\|image\|name\|path\|port\|accelerator\|volume\|condition\|role\|data\|enum\|list\|map\|pod\|secret\|Role\|Sidecar\)\>/
syn match tjKeyword /\%(\%(:\|->\)\s*\)\@<=\<accelerator\>/
syn match tjNumber /\<[0-9]\w*\%(\.[0-9]\w*\)*/
syn match tjNumber /\<[0-9][0-9_]*\%(\.[0-9][0-9_]*\)\=[eE][+-][0-9]\w*/
syn match tjOperator /[-+*\/%<>=?]\|!=/
syn match tjMember /\.\s*[A-Za-z_]\w*/
syn match tjOperator /\.\.\.\=/
syn cluster tjCode contains=tjName,tjValue,tjCall,tjKey,tjKeyword,tjConstant,tjBlock,tjType,tjNumber,tjOperator,tjMember,tjBraces,tjString,tjText,tjComment
syn region tjBraces start=/{/ end=/}/ transparent fold contains=@tjCode
syn match tjEscape /\\\%(u{\x*}\|.\)/ contained
syn region tjInterpolation matchgroup=tjDelimiter start=/\${/ end=/}/ contained contains=@tjCode
syn region tjString start=/"/ end=/"/ end=/$/ contains=tjEscape,tjInterpolation
syn region tjText matchgroup=tjString start=/"""/ end=/"""/ contains=tjEscape,tjInterpolation
syn region tjString start=/\<r"/ end=/"/ end=/$/
syn region tjText matchgroup=tjString start=/\<r"""/ end=/"""/
syn match tjComment /#.*$/ contains=@Spell
syn sync fromstart

hi def link tjValue Identifier
hi def link tjCall Function
hi def link tjKey Identifier
hi def link tjKeyword Keyword
hi def link tjConstant Constant
hi def link tjBlock Keyword
hi def link tjType Type
hi def link tjNumber Number
hi def link tjOperator Operator
hi def link tjString String
hi def link tjText String
hi def link tjEscape SpecialChar
hi def link tjDelimiter Special
hi def link tjComment Comment
let b:current_syntax = "tj"
