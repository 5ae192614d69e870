/** What somebody is offered first who has never heard of any model. */
export const CURATED_ROLES = ['quick', 'balanced', 'best'] as const
export type CuratedRole = (typeof CURATED_ROLES)[number]

/** Which models the operator has named for them. */
export type CuratedIds = Readonly<Partial<Record<CuratedRole, string>>>
