package gdrive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/plural"
)

// Check returns a summary such as "3 shared drives, 20 people in the directory". It returns an
// error if content or the permissions of content cannot be read. The error says what the operator
// can do.
func (c *Connector) Check(ctx context.Context) (string, error) {
	p, err := c.people(ctx)
	if err != nil {
		return "", err
	}
	if _, err := p.groupOf(ctx, ""); err != nil {
		return "", err
	}
	all, err := c.corpora(ctx, p)
	if err != nil {
		return "", err
	}
	var faults []error
	for _, id := range c.options.Drives {
		if !slices.ContainsFunc(all, func(in corpus) bool { return in.id == id }) {
			faults = append(faults, fmt.Errorf("the account is not a member of the shared drive %s: check the id, and make the account a Manager of the drive", id))
		}
	}
	if len(all) == 0 {
		return "", errors.Join(append(faults, errors.New("there is nothing to be read: make the account a Manager of the shared drives that are to be read, or say my_drives"))...)
	}
	drives, tried := 0, make(map[bool]bool)
	for _, in := range all {
		if in.shared {
			drives++
		}
		if tried[in.shared] { // try one shared and one personal drive
			continue
		}
		tried[in.shared] = true
		if _, err := c.startToken(ctx, in); err != nil {
			faults = append(faults, fmt.Errorf("%s cannot be read: %w", in.name, err))
		} else if in.shared {
			if _, err := c.permissions(ctx, in.subject, in.id); err != nil {
				faults = append(faults, fmt.Errorf("who is a member of %s is not shown, so it is hidden from everyone here: make the account a Manager of the drive (%w)", in.name, err))
			}
		}
	}
	what := fmt.Sprintf("%s, %s in the directory", plural.Count(drives, "shared drive"), plural.Count(len(p.users), "person"))
	if c.options.MyDrives {
		what += fmt.Sprintf(", the own drives of %d", len(all)-drives)
	}
	return what, errors.Join(faults...)
}
