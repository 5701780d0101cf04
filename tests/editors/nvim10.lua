-- nvim10.lua - Neovim 0.10 and 0.12: tree-sitter, inlay hints, lenses, semantic tokens, a quick fix, formatting.
-- Since 0.11 the server is started by nvim/lsp/tj.lua.
-- EDITORS is grammar/editors, PARSER a directory on the runtime path with parser/tj.so. Ends with `N passed, N failed`.
local passed, failed = 0, 0
local function holds(what, ok, detail)
  if ok then passed = passed + 1 else failed = failed + 1; print("FAIL " .. what .. " " .. vim.inspect(detail) .. "\n") end
end
local trainc, file, editors = vim.env.TRAINC, vim.env.FILE, vim.env.EDITORS
vim.opt.swapfile = false
vim.opt.runtimepath:prepend({ editors .. "/vim", editors .. "/nvim", vim.env.PARSER })
vim.cmd("filetype plugin indent on")
vim.env.PATH = vim.fs.dirname(trainc) .. ":" .. vim.env.PATH
local root = vim.fs.dirname(file)
if vim.lsp.enable then
  vim.fn.mkdir(root .. "/.git")
  vim.lsp.enable("tj")
end
vim.cmd("edit " .. file)
local buffer = vim.api.nvim_get_current_buf()
holds("the file type", vim.bo.filetype == "tj", vim.bo.filetype)

for _, name in ipairs({ "highlights", "folds", "indents", "injections" }) do
  local f = assert(io.open(editors .. "/tree-sitter/queries/" .. name .. ".scm"))
  vim.treesitter.query.set("tj", name, f:read("a"))
  f:close()
  holds("the query " .. name, pcall(vim.treesitter.query.get, "tj", name))
end
vim.treesitter.start(buffer, "tj")
vim.treesitter.get_parser(buffer, "tj"):parse()
local found = {}
for line = 0, vim.api.nvim_buf_line_count(buffer) - 1 do
  for column = 0, #vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] - 1 do
    for _, capture in ipairs(vim.treesitter.get_captures_at_pos(buffer, line, column)) do found[capture.capture] = true end
  end
end
for _, name in ipairs({ "keyword", "string", "number", "property", "operator" }) do holds("tree-sitter has " .. name, found[name], found) end
holds("tree-sitter finds no error", not vim.treesitter.get_parser(buffer, "tj"):parse()[1]:root():has_error())

if not vim.lsp.enable then vim.lsp.start({ name = "trainc", cmd = { trainc, "lsp" }, root_dir = vim.fn.getcwd() }) end
local function diagnostics(n)
  return vim.wait(10000, function() return #vim.diagnostic.get(buffer) == n end, 20)
end
holds("a mistake is shown", diagnostics(1), vim.diagnostic.get(buffer))
if vim.lsp.enable then
  vim.fn.delete(root .. "/.git", "d")
  local client = vim.lsp.get_clients({ bufnr = buffer, name = "tj" })[1]
  holds("nvim/lsp/tj.lua starts the server in the root of the project", client and client.root_dir == root, client and client.root_dir)
end
vim.api.nvim_win_set_cursor(0, { 9, 5 })
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.kind == "quickfix" end })
holds("a quick fix is applied", vim.wait(10000, function() return vim.api.nvim_buf_get_lines(buffer, 8, 9, false)[1]:find("memory") ~= nil end, 20),
  vim.api.nvim_buf_get_lines(buffer, 8, 9, false))
holds("which takes the mistake away", diagnostics(0), vim.diagnostic.get(buffer))
vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
local function hinted()
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    if type(hint.inlay_hint.label) == "string" and hint.inlay_hint.label:find("16 devices") then return true end
  end
end
holds("inlay hints", vim.wait(10000, hinted, 20), vim.lsp.inlay_hint.get({ bufnr = buffer }))
if vim.lsp.codelens.enable then vim.lsp.codelens.enable(true, { bufnr = buffer }) else vim.lsp.codelens.refresh({ bufnr = buffer }) end
holds("lenses", vim.wait(10000, function() local lens = vim.lsp.codelens.get(buffer)[1]; return lens and lens.command.title:find("objects") end, 20),
  vim.lsp.codelens.get(buffer))
holds("semantic tokens", vim.wait(10000, function() local t = vim.lsp.semantic_tokens.get_at_pos(buffer, 3, 1); return t and t[1] and t[1].type == "keyword" end, 20))
vim.api.nvim_buf_set_lines(buffer, 9, 10, false, { "    replicas=2" })
vim.lsp.buf.format({ async = false, timeout_ms = 10000 })
holds("formatting", vim.api.nvim_buf_get_lines(buffer, 9, 10, false)[1]:find("replicas    = 2") ~= nil, vim.api.nvim_buf_get_lines(buffer, 9, 10, false))
vim.api.nvim_win_set_cursor(0, { 7, 8 })
vim.lsp.buf.rename("nodes")
vim.wait(3000, function() return vim.api.nvim_buf_get_lines(buffer, 6, 7, false)[1]:find("nodes") ~= nil end, 20)
holds("a name of the library is not renamed", vim.api.nvim_buf_get_lines(buffer, 6, 7, false)[1]:find("worker") ~= nil)
print(passed .. " passed, " .. failed .. " failed\n")
vim.cmd(failed == 0 and "qa!" or "cq!")
