import { type MissingGuard, NO_AVAILABLE_CHECK, NO_TRANSFER_KEY } from './missing-guards'

/** Guards that are missed only where callers really run at the same time (stepped-races.ts). */

const ACCOUNT_LOCK_OF_HOLD = "where a.credit_id_hash = p_request ->> 'secret_hash' for update"

export const WITHOUT_HOLD_LOCK: MissingGuard = {
  without: "the account's lock, and the guards behind it, when a hold is placed",
  replacements: [
    [ACCOUNT_LOCK_OF_HOLD, ACCOUNT_LOCK_OF_HOLD.replace(' for update', '')],
    [
      'into v_available, v_has_day\n      from account a where a.id = v_account_id for update',
      'into v_available, v_has_day\n      from account a where a.id = v_account_id',
    ],
    [
      'where a.id = v_account_id and a.balance_nano - a.held_nano >= v_amount_nano',
      'where a.id = v_account_id',
    ],
    NO_AVAILABLE_CHECK,
  ],
}

export const WITHOUT_MERGE_LOCKS: MissingGuard = {
  without: 'the locks of the two accounts of a merge, and the guards behind them',
  replacements: [
    ['perform lock_merged(array[v_from_id, v_into_id]);', ''],
    NO_TRANSFER_KEY,
    NO_AVAILABLE_CHECK,
  ],
}

export const WITHOUT_SECOND_LOOK: MissingGuard = {
  without: 'the second look at who was merged, for whom a merge has added meanwhile',
  replacements: [['if v_locked_ids @> merged_with(p_account_ids) then', 'if true then']],
}

export const WITHOUT_GROUP_LOCKS: MissingGuard = {
  without: 'the locks of the credits that were merged, when one of them is refunded',
  replacements: [
    [
      'perform lock_merged(array[v_account_id]);',
      'perform from account a where a.id = v_account_id for update;',
    ],
    [
      'perform lock_merged(array[v_account_id, v_into_id]);',
      'perform from account a where a.id = v_account_id for update;',
    ],
  ],
}
