/*
 * bytes64_pack - the part of bytes64 that is different with PEXT.
 *
 * Included by bytes64.h alone, which says what all of it does.  Processors that
 * only pretend to have the instruction take up to 300 cycles for it; without it
 * there are thirteen others.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_PACK_H
#define OTLP_BYTES64_PACK_H

#if defined(DECODE_PEXT)

BYTES64_INLINE uint64_t
bytes64_pack(uint64_t word, uint64_t low)
{
    return _pext_u64(word, low);
}

#else

BYTES64_INLINE uint64_t
bytes64_pack(uint64_t word, uint64_t low)
{
    word &= low;
    word = (word & UINT64_C(0x7f007f007f007f00)) >> 1 |
           (word & UINT64_C(0x007f007f007f007f));
    word = (word & UINT64_C(0x3fff00003fff0000)) >> 2 |
           (word & UINT64_C(0x00003fff00003fff));
    return (word & UINT64_C(0x0fffffff00000000)) >> 4 |
           (word & UINT64_C(0x000000000fffffff));
}

#endif

#endif
