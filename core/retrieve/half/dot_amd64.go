package half

// wide is how many numbers dotWide takes at a time.
const wide = 32

// dotWide is the inner product of n numbers, a multiple of wide and not 0. The processor must be able to (hasWide).
//
//go:noescape
func dotWide(q *float32, v *uint16, n int) float32

// cpuid asks the processor what it is able to; xgetbv, which registers the operating system saves (XCR0).
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)
func xgetbv() (eax uint32)

// hasWide reports whether the processor and the operating system know 256-bit registers (AVX, AVX2), the conversion of 16-bit numbers (F16C) and
// fused multiplication (FMA). Source: Intel SDM, volume 1, 14.3 to 14.5.
var hasWide = func() bool {
	const fma, osxsave, avx, f16c = 1 << 12, 1 << 27, 1 << 28, 1 << 29
	const avx2 = 1 << 5
	const registers = 1<<1 | 1<<2
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return false
	}
	const needed = fma | osxsave | avx | f16c
	if _, _, features, _ := cpuid(1, 0); features&needed != needed {
		return false
	}
	_, extended, _, _ := cpuid(7, 0)
	return extended&avx2 != 0 && xgetbv()&registers == registers
}()

func dot(q []float32, v []uint16) float32 {
	n := len(q) / wide * wide
	if n == 0 || !hasWide {
		return portable(q, v)
	}
	sum := dotWide(&q[0], &v[0], n)
	if n < len(q) {
		sum += portable(q[n:], v[n:])
	}
	return sum
}
