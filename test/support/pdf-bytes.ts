import { deflateSync } from 'node:zlib'

interface PdfOptions {
  /** One page each; an empty text is a page without text, as in a scan. */
  pages: readonly string[]
  /** Additional entries of the document's first dictionary. */
  catalog?: string
  /** Additional entries of the dictionary at the file's end. */
  trailer?: string
  /** Replaces every page's own content. */
  content?: string
  font?: string
}

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'

/** A small PDF, written by hand: only what the format requires. */
export function pdfBytes({
  pages,
  catalog = '',
  trailer = '',
  content: given,
  font = HELVETICA,
}: PdfOptions): Buffer {
  const fontNumber = 3
  const pageNumber = (index: number) => fontNumber + 1 + index * 2
  const kids = pages.map((_, index) => `${pageNumber(index)} 0 R`).join(' ')
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    font,
    ...pages.flatMap((text, index) => {
      const content = text === '' ? '0 0 100 100 re f' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 ${fontNumber} 0 R >> >> /Contents ${pageNumber(index) + 1} 0 R >>`,
        given ?? `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ]
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = file.length
  const rows = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

/** "日本語" in Shift JIS, in a font that is not embedded: only predefined character maps make it readable. */
export function japanesePdfBytes(): Buffer {
  const descriptor =
    '<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>'
  const glyphs = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor ${descriptor} >>`
  const text = 'BT /F1 12 Tf 72 720 Td <93fa967b8cea> Tj ET'
  return pdfBytes({
    pages: [''],
    font: `<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light-90ms-RKSJ-H /Encoding /90ms-RKSJ-H /DescendantFonts [${glyphs}] >>`,
    content: `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  })
}

/**
 * A page of a few kilobytes that expands to 30 MB of words; within the page, because text outside of it is not read.
 */
export function bombPdfBytes(): Buffer {
  const line = (index: number) => `1 0 0 1 72 ${100 + (index % 600)} Tm (${'word '.repeat(16)}) Tj\n`
  const lines = Array.from({ length: 600 }, (_, index) => line(index)).join('')
  const content = deflateSync(`BT /F1 9 Tf ${lines.repeat(500)} ET`).toString('latin1')
  const stream = `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content}\nendstream`
  return pdfBytes({ pages: [''], content: stream })
}

/** Requires a password that nobody has: no password results in these keys. */
export function encryptedPdfBytes(): Buffer {
  const key = '00'.repeat(32)
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${'ff'.repeat(32)}> >>`
  return pdfBytes({ pages: ['Secret'], trailer: `${encrypt} /ID [<00> <00>]` })
}
