[(block) (list) (group)] @indent.begin
["}" "]" ")"] @indent.branch @indent.end
(string) @indent.ignore
