//go:build !pdfium

// Package pdf reads PDF files as documents. This program is built without it.
package pdf

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Page is what a file says about itself, and its content.
type Page struct {
	Title     string
	UpdatedAt time.Time
	Sections  []document.Section
}

// Options of Parse.
type Options struct {
	CacheDir string
	Timeout  time.Duration
}

// Parse refuses every file.
func Parse(context.Context, []byte, Options) (Page, error) {
	return Page{}, errors.New("this program was built without what reads PDF files. Use one that was built with the tag pdfium, or export the file as HTML")
}
