/**
 * Links by which others pay into an account without seeing its balance or spending it. An account has
 * one at most; whoever holds its token may create invoices for the account, and nothing else.
 */
export interface RefillLinks {
  /** Makes the account's link; one that was there before stops working. */
  create(input: { accountId: string; tokenHash: string }): Promise<RefillLink>
  /** The account's own link; null when there is none. */
  get(input: { accountId: string }): Promise<RefillLink | null>
  /** False when there was none. */
  revoke(input: { accountId: string }): Promise<{ revoked: boolean }>
  /** The account that a token pays into; null for an unknown or revoked one. */
  find(input: { tokenHash: string }): Promise<{ accountId: string } | null>
}

export interface RefillLink {
  createdAt: Date
}
