(block_item body: (block) @class.inside) @class.around
(pair key: (key) body: (block) @entry.inside) @entry.around
(comment) @comment.inside
(comment)+ @comment.around
