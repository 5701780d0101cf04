-- nvim.lua - Neovim as a client: `nvim --headless -u NONE -l`, or -c luafile before 0.9.
-- Says what failed and ends with `N passed, N failed`.
local passed, failed = 0, 0
local function holds(what, ok)
  if ok then passed = passed + 1 else failed = failed + 1; print("FAIL " .. what .. "\n") end
end
local trainc, file = vim.env.TRAINC, vim.env.FILE

vim.cmd("edit " .. file)
vim.bo.filetype = "tj"
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ name = "trainc", cmd = { trainc, "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, id)

local function diagnostics(n)
  return vim.wait(10000, function() return #vim.diagnostic.get(buffer) == n end, 20)
end
local function ask(method, line, column)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = column } }
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 10000)
  for _, answer in pairs(answers or {}) do return answer.result end
end

holds("a mistake is shown", diagnostics(1))
local d = vim.diagnostic.get(buffer)[1]
holds("at its place", d and d.lnum == 8 and d.col == 4 and d.code == "TJ0202")
local hover = ask("textDocument/hover", 7, 26)
holds("hover", hover and hover.contents.value:find("accelerator h100", 1, true))
vim.api.nvim_buf_set_text(buffer, 8, 4, 8, 10, { "memory" })
holds("an edit takes it away", diagnostics(0))
vim.api.nvim_buf_set_lines(buffer, 7, 8, false, { "    # é中😀", "    accelerator = " })
local items = ask("textDocument/completion", 8, 18)
local found = false
for _, item in ipairs(items and items.items or {}) do found = found or item.label == "nvidia.h100" end
holds("completion", found)
local symbols = ask("textDocument/documentSymbol", 0, 0)
holds("outline", symbols and symbols[#symbols].name == "a")
print(passed .. " passed, " .. failed .. " failed\n")
vim.cmd(failed == 0 and "qa!" or "cq!")
