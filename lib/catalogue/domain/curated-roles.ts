/** The choices offered to somebody who does not know any models. */
export const CURATED_ROLES = ['quick', 'balanced', 'best'] as const
export type CuratedRole = (typeof CURATED_ROLES)[number]

/** The models that the operator has chosen for them. */
export type CuratedIds = Readonly<Partial<Record<CuratedRole, string>>>
