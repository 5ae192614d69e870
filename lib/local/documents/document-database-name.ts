/** A database of its own, so that tabs of an older version, which have the archive open, are not affected. */
export const DOCUMENT_DATABASE_NAME = 'tuppence-documents'
