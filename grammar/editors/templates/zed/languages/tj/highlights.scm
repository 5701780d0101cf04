; Each pattern is about other nodes, so that their order does not matter: editors differ in which one wins.
(comment) @comment
(number) @number
(keyword) @keyword
(block_word) @keyword
(type_word) @keyword
(constant) @constant
(operator) @operator
(key) @property
(member_name) @property
(text) @string
(raw) @string
(escape) @string.escape
(string ["\"" "\"\"\""] @string)
(interpolation ["${" "}"] @punctuation.special)
(block ["{" "}"] @punctuation.bracket)
(list ["[" "]"] @punctuation.bracket)
(group ["(" ")"] @punctuation.bracket)
["," ":" "."] @punctuation.delimiter
((identifier) @variable.special (#any-of? @variable.special {{VALUES:quoted}}))
