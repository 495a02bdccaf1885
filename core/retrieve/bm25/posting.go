package bm25

import "encoding/binary"

// BlockSize is the number of consecutive chunk ids in one block. A posting stores the offset in the
// block in 16 bits.
const BlockSize = 1 << 16

// Split returns the block of a chunk id and the offset in it.
func Split(id int64) (block int32, offset uint16) { return int32(id >> 16), uint16(id) }

// Join returns the id of the chunk at an offset in a block. It is the inverse of Split.
func Join(block int32, offset uint16) int64 { return int64(block)<<16 | int64(offset) }

// sealedSize is the size, in bytes, of a posting in a sealed list: the offset and the quantised
// impact, both little-endian. Postings are in ascending order of offset.
const sealedSize = 4

// AppendSealed adds a posting to a sealed list, which stores quantised impacts. Offsets must
// ascend.
func AppendSealed(list []byte, offset, impact uint16) []byte {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(list, offset), impact)
}

// SealedLen returns the number of postings in a sealed list. It ignores incomplete bytes at the
// end.
func SealedLen(list []byte) int { return len(list) / sealedSize }

// Sealed decodes one posting of a sealed list: the offset of its chunk and its impact on the score.
// i must be below SealedLen.
func Sealed(list []byte, i int) (offset, impact uint16) {
	p := list[i*sealedSize:]
	return binary.LittleEndian.Uint16(p), binary.LittleEndian.Uint16(p[2:])
}

// freshSize is the size in bytes of a posting in a fresh list: the offset, the term frequency and
// the length of the field. Postings are in ascending order of offset.
const freshSize = 6

// AppendFresh adds a posting to a fresh list, which stores term frequencies (tf) and field lengths
// (dl). Numbers above 65,535 are stored as 65,535. Offsets must ascend.
func AppendFresh(list []byte, offset uint16, tf, dl int) []byte {
	list = binary.LittleEndian.AppendUint16(list, offset)
	list = binary.LittleEndian.AppendUint16(list, uint16(min(tf, 1<<16-1)))
	return binary.LittleEndian.AppendUint16(list, uint16(min(dl, 1<<16-1)))
}

// FreshLen returns the number of postings in a fresh list. It ignores incomplete bytes at the end.
func FreshLen(list []byte) int { return len(list) / freshSize }

// Fresh returns the offset, term frequency and field length of posting i, which must be below
// FreshLen.
func Fresh(list []byte, i int) (offset uint16, tf, dl int) {
	p := list[i*freshSize:]
	return binary.LittleEndian.Uint16(p), int(binary.LittleEndian.Uint16(p[2:])), int(binary.LittleEndian.Uint16(p[4:]))
}
