package gdrive

import (
	"path"
	"strings"
)

// exports maps the types of Google's documents to the formats in which they are exported
// (https://developers.google.com/workspace/drive/api/guides/ref-export-formats).
var exports = map[string]struct{ mime, ending string }{
	typeDoc:    {"text/html", ".html"},
	typeSheet:  {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"},
	typeSlides: {"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"},
}

// endings maps MIME types to extensions. It is used for uploaded files whose names have no
// extension.
var endings = map[string]string{
	"application/pdf":    ".pdf",
	"application/msword": ".doc",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	"text/plain": ".txt", "text/markdown": ".md", "text/csv": ".csv", "text/tab-separated-values": ".tsv", "text/html": ".html", "application/json": ".json",
}

// form returns a generic file name with the extension of the file's format, such as "file.pdf".
// wanted is false for files that are too large or have no supported format.
func (c *Connector) form(f *file) (name string, wanted bool) {
	if export, ok := exports[f.MimeType]; ok {
		return "file" + export.ending, f.MimeType != typeSheet || c.options.Read != nil && c.options.Wanted("file"+export.ending)
	}
	if strings.HasPrefix(f.MimeType, "application/vnd.google-apps.") || c.options.Read == nil || f.Size > c.options.MaxBytes {
		return "", false // shortcuts too: their targets are listed as files
	}
	ending := strings.ToLower(path.Ext(f.Name))
	if by := endings[f.MimeType]; by != "" && (ending == "" || strings.ContainsRune(ending, ' ')) {
		ending = by
	}
	if ending == "" && !strings.HasPrefix(f.MimeType, "text/") {
		return "", false
	}
	return "file" + ending, c.options.Wanted("file" + ending)
}
