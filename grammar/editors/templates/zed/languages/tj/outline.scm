(block_item kind: (block_word) @context name: (identifier) @name) @item
