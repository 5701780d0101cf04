autocmd BufRead,BufNewFile *.tj setfiletype tj
