; Each pattern is about other nodes, so that their order does not matter: editors differ in which one wins.
(comment) @comment
(number) @constant.numeric
(keyword) @keyword
(block_word) @keyword
(type_word) @keyword
(constant) @constant.builtin
(operator) @operator
(key) @variable.other.member
(member_name) @variable.other.member
(text) @string
(raw) @string
(escape) @constant.character.escape
(string ["\"" "\"\"\""] @string)
(interpolation ["${" "}"] @punctuation.special)
(block ["{" "}"] @punctuation.bracket)
(list ["[" "]"] @punctuation.bracket)
(group ["(" ")"] @punctuation.bracket)
["," ":" "."] @punctuation.delimiter
((identifier) @variable.builtin (#any-of? @variable.builtin {{VALUES:quoted}}))
