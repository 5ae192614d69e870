/** The credit that a signed-in person keeps with the account. */
export interface CreditLinks {
  /** `unreadable`: there is one, sealed with a key that the operator no longer gives. */
  find(userId: string): Promise<{ outcome: 'found'; creditId: string } | { outcome: 'none' | 'unreadable' }>
  /**
   * `conflict`: another credit is linked already. Nothing is changed then: whoever means to replace it
   * says so with the credit that they saw.
   */
  link(input: {
    userId: string
    creditId: string
    /** The linked credit that this one replaces; null links only where none is. */
    replaces: string | null
  }): Promise<{ outcome: 'linked' | 'conflict' }>
  unlink(userId: string): Promise<{ outcome: 'unlinked' | 'none' }>
}
