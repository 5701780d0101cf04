;; The classes that tj-mode gives: FILE.emacs for each file of $LIST.
(add-to-list 'load-path (concat (getenv "EDITORS") "/emacs"))
(require 'tj-mode)
(setq coding-system-for-read 'utf-8-unix coding-system-for-write 'utf-8-unix large-file-warning-threshold nil)
(defvar letters
  '((font-lock-comment-face . ?c) (font-lock-string-face . ?s) (tj-number-face . ?n) (font-lock-keyword-face . ?k)
    (font-lock-constant-face . ?k) (tj-operator-face . ?o)))
(with-temp-buffer
  (insert-file-contents (getenv "LIST"))
  (dolist (entry (split-string (buffer-string) "\n" t))
    (let ((paths (split-string entry "\t")))
      (with-temp-buffer
        (insert-file-contents (car paths))
        (tj-mode)
        (font-lock-mode 1)
        (font-lock-ensure)
        (let ((out nil))
          (goto-char (point-min))
          (while (not (eobp))
            (push (if (eq (char-after) ?\n) ?\n (or (cdr (assq (get-text-property (point) 'face) letters)) ?-)) out)
            (forward-char))
          (let ((text (concat (nreverse out))))
            (with-temp-file (concat (cadr paths) ".emacs") (insert text))))))))
