[(block) (list) (group)] @indent
["}" "]" ")"] @outdent
