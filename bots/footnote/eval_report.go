package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/bots/internal/wholefile"
	"github.com/footnotehq/footnote/core/evaluate"
)

// keeping says where a report is saved, and which report it is compared with.
type keeping struct {
	to      string
	chosen  bool // the user chose it; otherwise a failed save is ignored
	last    *evaluate.Report
	earlier *evaluate.Report // to compare with; nil the first time
	from    string
}

// keeping fails only if --compare names a report that cannot be read or is about another
// collection.
func (c *evalCommand) keeping(env *environment, report evaluate.Report) (keeping, error) {
	k := keeping{to: c.Save, chosen: c.Save != ""}
	standard, err := standardReport(env, report)
	if err != nil && c.Save == "" {
		fmt.Fprintf(env.errs, "The report will not be kept: %v. Name a file with --save.\n", err)
	}
	if standard != "" {
		last, err := readReport(standard)
		switch {
		case err == nil:
			k.last, k.earlier, k.from = &last, &last, standard
		case !errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(env.errs, "The last report is not compared with: %v.\n", err)
		}
	}
	if !k.chosen {
		k.to = standard
	}
	if c.Compare == "" {
		return k, nil
	}
	earlier, err := readReport(c.Compare)
	if err == nil {
		_, err = report.Compare(earlier)
	}
	if err != nil {
		return k, usageError(fmt.Sprintf("--compare %s: %v", c.Compare, err))
	}
	k.earlier, k.from = &earlier, c.Compare
	return k, nil
}

func standardReport(env *environment, report evaluate.Report) (string, error) {
	dir := env.config.DataDir
	if dir == "" {
		var err error
		if dir, err = local.DefaultDir(); err != nil {
			return "", err
		}
	}
	name := strings.Map(func(r rune) rune {
		if r < '0' || r > 'z' || r > '9' && r < 'A' || r > 'Z' && r < 'a' {
			return '-'
		}
		return r
	}, report.Collection)
	return filepath.Join(dir, "eval", name[:min(len(name), 64)]+"-"+report.Fingerprint+".json"), nil
}

func readReport(name string) (evaluate.Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return evaluate.Report{}, fmt.Errorf("read the earlier report: %w", err)
	}
	defer file.Close()
	report, err := evaluate.ReadReport(file)
	if err != nil {
		return report, fmt.Errorf("read the earlier report %s: %w", name, err)
	}
	return report, nil
}

// save also keeps results of other search modes from the last report, unless the user chose the
// file.
func (k keeping) save(env *environment, report evaluate.Report) error {
	if k.to == "" {
		return nil
	}
	if !k.chosen && k.last != nil {
		report = report.With(*k.last)
	}
	err := writeWhole(k.to, report.Write)
	if err != nil {
		err = fmt.Errorf("save the report: %w", err)
	}
	if err != nil && !k.chosen {
		fmt.Fprintf(env.errs, "The report is not kept: %v. Name another file with --save.\n", err)
		return nil
	}
	if err == nil {
		fmt.Fprintf(env.errs, "The report is in %s\n", k.to)
	}
	return err
}

// writeWhole atomically writes a file with mode 0600, and creates its folders.
func writeWhole(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	return wholefile.Write(name, 0o600, write)
}
