/** A database of its own: tabs of an older version, which have the archive open, are not disturbed by it. */
export const DOCUMENT_DATABASE_NAME = 'tuppence-documents'
