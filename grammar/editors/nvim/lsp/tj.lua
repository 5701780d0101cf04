-- Neovim 0.11: `vim.lsp.enable("tj")`.
return {
  cmd = { "trainc", "lsp" },
  filetypes = { "tj" },
  root_markers = { "project.tj", ".git" },
}
