package call

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

type withFile interface{ File() *discordgo.File }

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
