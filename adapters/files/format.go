package files

import (
	"context"
	"path"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/office"
	"github.com/footnotehq/footnote/core/footprint"
)

// format describes how files of one format are parsed.
type format struct {
	parse func(text string) parsed
	// read is used instead of parse for slow formats.
	read func(ctx context.Context, text string) (parsed, error)
	// unpack is used instead of parse for files that are not text.
	unpack func(ctx context.Context, raw []byte) (parsed, error)
	matter bool // may begin with front matter
	html   bool // may declare its encoding in a meta element
	// code says that the file's name is a better title than any in the file.
	code   bool
	unread string         // why files of this format are skipped; empty: they are read
	cost   footprint.Cost // memory for parsing
}

// MayHold reports whether a file may contain readable text, by its name. Callers need not download
// other files.
func MayHold(name string) bool { return formatOf(name).unread == "" }

// formatOf returns the format of a file by its name. A file with an unknown extension is read as
// plain text, unless its content is binary.
func formatOf(name string) format {
	if office.Named(name) {
		return format{unpack: parseOffice, cost: footprint.Office}
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx":
		return format{read: readMarkdown, matter: true, cost: footprint.Markdown}
	case ".html", ".htm", ".xhtml", ".shtml":
		return format{read: readHTML, matter: true, html: true, cost: footprint.HTML}
	case ".csv":
		return format{parse: parseTable(",;\t|"), cost: footprint.CSV}
	case ".tsv":
		return format{parse: parseTable("\t"), cost: footprint.CSV}
	case ".json":
		return format{parse: parseJSON, code: true, cost: footprint.Text}
	case ".go", ".py", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".java", ".kt", ".kts", ".scala", ".groovy", ".c", ".h", ".cc", ".cpp", ".cxx",
		".hpp", ".hh", ".cs", ".m", ".mm", ".rs", ".rb", ".php", ".pl", ".pm", ".swift", ".dart", ".lua", ".r", ".jl", ".hs", ".ml", ".mli", ".ex",
		".exs", ".erl", ".clj", ".el", ".lisp", ".scm", ".zig", ".nim", ".v", ".vhdl", ".asm", ".s", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat",
		".sql", ".graphql", ".proto", ".tf", ".hcl", ".nix", ".gradle", ".cmake", ".mk", ".vue", ".svelte":
		return format{parse: parseSource(name), code: true, cost: footprint.Text}
	case ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".xml", ".xsd", ".xsl", ".jsonl", ".ndjson", ".diff", ".patch", ".log":
		return format{parse: parseCode(languageOf(name)), code: true, cost: footprint.Text}
	case ".css", ".scss", ".less", ".map":
		return format{unread: "Style sheets and source maps hold nothing that could be quoted."}
	case ".pdf":
		return format{unpack: parsePDF, cost: footprint.PDF}
	case ".doc", ".odt", ".rtf", ".ppt", ".odp", ".xls", ".xlsb", ".ods", ".pages", ".numbers", ".epub":
		return format{unread: "Of office files, .docx, .xlsx and .pptx are read, and this one is not. Save it as one of these, or as PDF."}
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".bmp", ".tif", ".tiff", ".heic", ".avif", ".psd",
		".mp3", ".wav", ".ogg", ".flac", ".m4a", ".mp4", ".mov", ".avi", ".mkv", ".webm", ".woff", ".woff2", ".ttf", ".otf", ".eot",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".war", ".deb", ".rpm", ".dmg", ".iso", ".apk",
		".exe", ".dll", ".so", ".dylib", ".a", ".o", ".obj", ".class", ".pyc", ".wasm", ".bin", ".dat", ".db", ".sqlite", ".parquet":
		return format{unread: "Pictures, sound, archives and programs hold no text that could be quoted."}
	}
	switch strings.ToLower(path.Base(name)) {
	case "makefile", "dockerfile", "jenkinsfile", "vagrantfile", "gemfile", "rakefile", "procfile":
		return format{parse: parseCode(languageOf(name)), code: true, cost: footprint.Text}
	}
	return format{parse: parseText, matter: true, cost: footprint.Text}
}
