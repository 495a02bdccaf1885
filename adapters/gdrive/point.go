package gdrive

import (
	"context"
	"strings"
	"sync"
)

// MayRead implements index.PointChecker where people's own drives are read, by asking as the person: without delegation nobody can be asked for. A folder may be
// shown to somebody who may not open it ("Users with inherited access … can see the restricted folder in Drive but can't open it"), so it is asked whether what
// it holds is listed. Of a shared drive it is asked whether it can be seen.
func (c *Connector) MayRead(ctx context.Context, person string, nodes []string) map[string]bool {
	may := make(map[string]bool)
	if !c.options.MyDrives {
		return may
	}
	var who user
	if err := c.client.get(ctx, directory, c.options.Admin, "users/"+person+"?"+query("fields", "id,primaryEmail,suspended,archived"), &who); err != nil || who.PrimaryEmail == "" {
		return may
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, n := range nodes { // the client bounds how many are under way at once
		_, id, _ := strings.Cut(n, "/")
		if !isID(id) {
			continue
		}
		all.Go(func() {
			yes, known := c.sees(ctx, address(who.PrimaryEmail), id)
			mu.Lock()
			defer mu.Unlock()
			if known {
				may[n] = yes && who.active()
			}
		})
	}
	all.Wait()
	return may
}

func (c *Connector) sees(ctx context.Context, subject, id string) (yes, known bool) {
	var got struct {
		MimeType     string `json:"mimeType"`
		Trashed      bool   `json:"trashed"`
		Capabilities struct {
			ListChildren bool `json:"canListChildren"`
		} `json:"capabilities"`
	}
	err := c.client.get(ctx, drive, subject, "files/"+id+"?"+query("supportsAllDrives", "true", "fields", "mimeType,trashed,capabilities(canListChildren)"), &got)
	if err != nil {
		return false, absent(err)
	}
	return !got.Trashed && (got.MimeType != typeFolder || got.Capabilities.ListChildren), true
}
