(block "}" @end) @indent
(list "]" @end) @indent
(group ")" @end) @indent
