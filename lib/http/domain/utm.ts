/** What a link can say of the campaign that brought a visitor. */
export const UTM_PARAMETERS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const
export type UtmParameter = (typeof UTM_PARAMETERS)[number]

/** Anybody can put anything into a link; a campaign's name is short. The page cuts it, and the server refuses more. */
export const UTM_LENGTH_MAX = 200
