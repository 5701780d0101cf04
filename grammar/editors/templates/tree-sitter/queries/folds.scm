[(block) (list) (group) (string)] @fold
