package call

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// withFile is a request body that may have a file.
type withFile interface{ File() *discordgo.File }

// encode returns the encoded body and its content type. It encodes a body with a file as a
// multipart form.
func encode(body any) (data []byte, contentType string, err error) {
	if w, ok := body.(withFile); ok {
		if file := w.File(); file != nil {
			contentType, data, err = discordgo.MultipartBodyWithJSON(body, []*discordgo.File{file})
			return data, contentType, err
		}
	}
	if body != nil {
		data, err = json.Marshal(body)
	}
	return data, "application/json", err
}
