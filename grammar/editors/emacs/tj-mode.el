;;; tj-mode.el --- Major mode for trainc programs -*- lexical-binding: t; -*-

;; Version: 1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colors, indentation and comments of trainc programs (.tj), and `trainc lsp' as their server for eglot.

;;; Code:

(defgroup tj nil "Trainc programs." :group 'languages)
(defcustom tj-indent 2 "Columns of one level." :type 'integer :group 'tj)

(defconst tj--keywords '("import" "as" "param" "let" "fn" "type" "project" "policy" "framework" "accelerator" "job" "profile" "test" "check" "warn" "if" "then" "else" "for" "in" "and" "or" "not"))
(defconst tj--constants '("true" "false" "none"))
(defconst tj--soft '("import" "as" "param" "fn" "type" "framework" "accelerator" "job" "profile" "test" "policy" "project" "not" "true" "false" "none"))
(defconst tj--soft-blocks '("import" "as" "param" "fn" "type" "framework" "accelerator" "job" "profile" "test" "policy"))
(defconst tj--blocks '("role" "aux" "cell" "sidecar" "init" "raw" "object"))
(defconst tj--functions '("len" "range" "sum" "product" "min" "max" "sorted" "unique" "flatten" "find" "abs" "ceil_div" "round" "float" "int" "str" "join" "split" "lines" "replace" "trim" "pad" "cut" "lower" "upper" "starts_with" "ends_with" "matches" "commands" "options" "keys" "values" "has" "json" "sha256" "bytes" "seconds" "millis" "has_digest" "tag" "pvc" "scratch" "own_claim" "secret_files" "config_files" "host_path" "nfs" "csi" "generated" "secret" "config" "config_env" "secret_env" "done" "ready" "started" "tcp" "http" "exec" "near" "prefer" "pack" "env" "object" "fails"))
(defconst tj--types '("bool" "int" "float" "string" "cpu" "memory" "duration" "topology" "range" "elastic" "image" "name" "path" "port" "accelerator" "volume" "condition" "role" "data" "enum" "list" "map" "pod" "secret" "Role" "Sidecar"))

(defconst tj--number
  "[0-9][0-9_]*\\(?:\\.[0-9][0-9_]*\\)?[eE][+-][0-9][0-9A-Za-z_]*\\|[0-9][0-9A-Za-z_]*\\(?:\\.[0-9][0-9A-Za-z_]*\\)*")
(defconst tj--key-follows "[ \t\n]*\\(?:=\\(?:[^=]\\|\\'\\)\\|\\+=\\|:\\)")

(defvar tj-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    ;; tj--propertize says where strings begin and end
    (modify-syntax-entry ?\" "." table)
    (modify-syntax-entry ?\\ "." table)
    (modify-syntax-entry ?' "." table)
    table))

;; ---- texts ----

(defun tj--skip-string ()
  "Move behind the string at point.  Return the places of its `${...}' as pairs."
  (let* ((raw (eq (char-after) ?r))
         (block (looking-at "r?\"\"\""))
         (stop (if raw (if block "\"\"\"" "[\"\n]") (if block "\"\"\"\\|\\\\\\|\\${" "[\"\n\\\\]\\|\\${")))
         (inside nil) (open t))
    (looking-at "r?\"\\(?:\"\"\\)?")
    (goto-char (if block (match-end 0) (+ (point) (if raw 2 1))))
    (while (and open (re-search-forward stop nil 'move))
      (let ((found (match-string 0)))
        (cond ((equal found "\\") (unless (eobp) (forward-char)))
              ((equal found "${")
               (let ((start (- (point) 2)))
                 (tj--skip-code)
                 (push (cons start (point)) inside)))
              ((equal found "\n") (backward-char) (setq open nil))
              (t (setq open nil)))))
    (nreverse inside)))

(defun tj--skip-code ()
  "Move behind the brace that closes the `${' before point."
  (let ((depth 1))
    (while (and (> depth 0) (re-search-forward "[{}]\\|#.*\\|\\_<r\"\\|\"" nil 'move))
      (let ((found (match-string 0)))
        (cond ((equal found "{") (setq depth (1+ depth)))
              ((equal found "}") (setq depth (1- depth)))
              ((member found '("\"" "r\""))
               (goto-char (match-beginning 0))
               (tj--skip-string)))))))

(defun tj--propertize (start end)
  "Mark where the strings between START and END begin and end."
  (goto-char start)
  (let ((string (nth 8 (syntax-ppss))))
    (when string (goto-char string)))
  (while (and (< (point) end) (re-search-forward "#.*\\|\\_<r\"\\|\"" end 'move))
    (unless (eq (char-after (match-beginning 0)) ?#)
      (let ((from (match-beginning 0)))
        (goto-char from)
        (tj--skip-string)
        (put-text-property from (1+ from) 'syntax-table (string-to-syntax "|"))
        (when (> (point) (1+ from))
          (put-text-property (1- (point)) (point) 'syntax-table (string-to-syntax "|")))))))

;; ---- colors ----

(defun tj--face (from to face)
  "Give the text between FROM and TO the FACE."
  (put-text-property from to 'face face))

(defun tj--word-face (from word)
  "The face of WORD, which begins at FROM and ends at point."
  (cond ((and (equal word "accelerator")
              (save-excursion (goto-char from) (skip-chars-backward " \t\n") (memq (char-before) '(?: ?>))))
         'font-lock-keyword-face)
        ((and (member word tj--blocks) (looking-at "[ \t\n]+[A-Za-z_][A-Za-z0-9_]*[ \t\n]*{")) 'font-lock-keyword-face)
        ((and (member word tj--soft) (looking-at tj--key-follows)) 'font-lock-variable-name-face)
        ((and (member word tj--soft-blocks) (looking-at "[ \t\n]*{")) 'font-lock-variable-name-face)
        ((member word tj--constants) 'font-lock-constant-face)
        ((member word tj--keywords) 'font-lock-keyword-face)
        ((looking-at tj--key-follows) 'font-lock-variable-name-face)
        ((and (member word tj--functions) (looking-at "[ \t]*(")) 'font-lock-function-name-face)
        ((and (member word tj--types)
              (save-excursion (goto-char from) (skip-chars-backward " \t") (memq (char-before) '(?: ?>))))
         'font-lock-type-face)))

(defun tj--color-string ()
  "Color the string at point and what is inside of its `${...}'."
  (let* ((from (point)) (inside (tj--skip-string)) (end (point)))
    (tj--face from end 'font-lock-string-face)
    (dolist (part inside)
      (tj--face (car part) (cdr part) nil)
      (goto-char (+ (car part) 2))
      (tj--color-code (1- (cdr part))))
    (goto-char end)))

(defun tj--color-code (limit)
  "Color the code between point and LIMIT."
  (while (< (point) limit)
    (let ((from (point)))
      (cond ((looking-at "[ \t\n\r]+") (goto-char (match-end 0)))
            ((looking-at "#.*") (goto-char (match-end 0)) (tj--face from (point) 'font-lock-comment-face))
            ((looking-at "r?\"") (tj--color-string))
            ((looking-at tj--number) (goto-char (match-end 0)) (tj--face from (point) 'tj-number-face))
            ((looking-at "\\.\\.\\.?") (goto-char (match-end 0)) (tj--face from (point) 'tj-operator-face))
            ((looking-at "\\.[ \t\n]*[A-Za-z_][A-Za-z0-9_]*") (goto-char (match-end 0)))
            ((looking-at "[A-Za-z_][A-Za-z0-9_]*")
             (goto-char (match-end 0))
             (let ((face (tj--word-face from (match-string-no-properties 0))))
               (when face (tj--face from (point) face))))
            ((looking-at "==\\|!=\\|<=\\|>=\\|\\+=\\|->\\|//\\|\\?\\?\\|[-<>=+*/%?]")
             (goto-char (match-end 0)) (tj--face from (point) 'tj-operator-face))
            (t (forward-char))))))

(defface tj-number-face '((t :inherit font-lock-constant-face)) "Numbers." :group 'tj)
(defface tj-operator-face '((t :inherit default)) "Operators." :group 'tj)

(defun tj--color (limit)
  "Color from the line of point to LIMIT; what font-lock calls as a matcher."
  (beginning-of-line)
  (let ((string (nth 8 (syntax-ppss))))
    (when string (goto-char string)))
  (with-silent-modifications (tj--color-code limit))
  nil)

;; ---- indentation ----

(defun tj--continued-p ()
  "Does the line above end with an operator, so that this one continues it?"
  (save-excursion
    (beginning-of-line)
    (skip-chars-backward " \t\n")
    (and (not (nth 8 (syntax-ppss)))
         (looking-back "\\(?:[-+*/%]\\|==\\|!=\\|\\_<and\\|\\_<or\\)" (line-beginning-position)))))

(defun tj-indent-line ()
  "Indent the line one level more than the line of the innermost open bracket.
A line that continues an expression is one level deeper."
  (interactive)
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         (open (nth 1 state))
         (column (if open (save-excursion (goto-char open) (+ (current-indentation) tj-indent)) 0)))
    (unless (nth 3 state)
      (save-excursion
        (back-to-indentation)
        (cond ((looking-at "[]})]") (setq column (- column tj-indent)))
              ((or (looking-at "\\(?:else\\|then\\|and\\|or\\|in\\)\\_>\\|[-+*/%<>?]\\|==\\|!=") (tj--continued-p))
               (setq column (+ column tj-indent))))
        (indent-line-to (max column 0))))
    (when (< (current-column) (current-indentation)) (back-to-indentation))))

;;;###autoload
(define-derived-mode tj-mode prog-mode "tj"
  "Major mode for trainc programs."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+[ \t]*")
  (setq-local indent-line-function #'tj-indent-line)
  (setq-local electric-indent-chars (append "]})" electric-indent-chars))
  (setq-local indent-tabs-mode nil)
  (setq-local syntax-propertize-function #'tj--propertize)
  (setq-local font-lock-multiline t)
  (setq-local font-lock-defaults '(((tj--color (0 nil))) t)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tj\\'" . tj-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(tj-mode "trainc" "lsp")))

(provide 'tj-mode)
;;; tj-mode.el ends here
