package canonical

// Fingerprint returns the fingerprint of a value: FNV-1a, 32 bits, over the UTF-8
// bytes of its compact canonical text, as "fnv1a32:" and 8 lower-case hex digits.
func Fingerprint(v any) (string, error) {
	text, err := Text(v)
	if err != nil {
		return "", err
	}
	return FingerprintBytes(text), nil
}

// FingerprintBytes returns the fingerprint of bytes that are canonical text
// already.
func FingerprintBytes(text []byte) string {
	const offset, prime = 0x811c9dc5, 0x01000193
	h := uint32(offset)
	for _, c := range text {
		h = (h ^ uint32(c)) * prime
	}
	return FormatFingerprint(h)
}

// FormatFingerprint spells a 32-bit hash as a fingerprint.
func FormatFingerprint(h uint32) string {
	out := []byte("fnv1a32:00000000")
	for i := len(out) - 1; h != 0; i-- {
		out[i] = hexDigits[h&15]
		h >>= 4
	}
	return string(out)
}

// IsFingerprint reports whether s has the form of a fingerprint.
func IsFingerprint(s string) bool {
	const prefix = "fnv1a32:"
	if len(s) != len(prefix)+8 || s[:len(prefix)] != prefix {
		return false
	}
	for _, c := range []byte(s[len(prefix):]) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}
