/**
 * A guard that is removed from the ledger, in the code of its functions and, where the schema says the same again, there
 * too: a list of replacements in the migrations' text. A test that still passes without it guards nothing.
 */
export interface MissingGuard {
  without: string
  /** The run of the test's seed, counted from 0, that misses it: the search begins there. */
  missedInRun?: number
  replacements: readonly (readonly [removed: string, inserted: string])[]
}

export const NO_AVAILABLE_CHECK = [
  'constraint account_available_not_negative check (balance_nano >= held_nano)',
  'constraint account_available_not_negative check (true)',
] as const

const NO_DEBT_CHECK = [
  'constraint account_debt_leaves_nothing_available check (debt_nano = 0 or balance_nano = held_nano)',
  'constraint account_debt_leaves_nothing_available check (true)',
] as const

const NO_OPEN_CHECK = [
  "= (m.request ->> 'hold_id')::uuid and h.resolved_at is null",
  "= (m.request ->> 'hold_id')::uuid",
] as const

export const NO_TRANSFER_KEY = ['primary key (reference, leg),', ''] as const

/** Missed by one caller at a time. */
export const MISSING_GUARDS: readonly MissingGuard[] = [
  {
    without: 'the comparison of a hold with the balance',
    replacements: [
      ['least(v_available, v_key_available)', 'coalesce(v_key_available, v_amount_nano)'],
      [
        'where a.id = v_account_id and a.balance_nano - a.held_nano >= v_amount_nano',
        'where a.id = v_account_id',
      ],
      NO_AVAILABLE_CHECK,
    ],
  },
  {
    without: "the comparison of a hold with the key's limit",
    missedInRun: 15,
    replacements: [['least(v_available, v_key_available)', 'v_available']],
  },
  {
    without: 'the sweep before the loss of a call that ends late',
    replacements: [["if v_known_status = 'expired' and", "if v_known_state <> 'open' and"]],
  },
  {
    without: 'the minimum of a hold',
    replacements: [['if v_amount_nano < v_minimum_nano then', 'if false then']],
  },
  {
    without: 'the least of a hold at risk',
    missedInRun: 13,
    replacements: [['greatest(v_least_nano, 1)', '1']],
  },
  {
    without: 'the refusal of a hold at risk of nothing at all',
    missedInRun: 29,
    replacements: [['greatest(v_least_nano, 1)', 'v_least_nano']],
  },
  {
    without: "the bound of an account's risk on a day",
    replacements: [['or v_risk_nano_max < v_risk_nano', 'or v_risk_nano > 1000 * v_risk_nano']],
  },
  {
    without: 'the sum of what an account risks',
    missedInRun: 7,
    replacements: [
      ['v_risk_nano + case when a.risk_day = v_today then a.risk_nano else 0 end', 'v_risk_nano'],
    ],
  },
  {
    without: 'the risk of the credits that an account was merged with',
    missedInRun: 29,
    replacements: [
      ['sum(a.risk_nano) filter (where', 'sum(a.risk_nano) filter (where a.id = v_account_id and'],
    ],
  },
  {
    without: "the bound of what an account's calls of a day may cost the operator",
    replacements: [['if v_amount_nano > 0 and v_day_lost', 'if false and v_day_lost']],
  },
  {
    without: 'what is free, for whose calls have cost the operator too much',
    replacements: [['if v_amount_nano > 0 and v_day_lost', 'if v_day_lost']],
  },
  {
    without: 'what failed calls have cost the operator',
    missedInRun: 12,
    replacements: [['a.lost_nano + v_loss + v_absorbed', 'a.lost_nano + v_loss']],
  },
  {
    without: 'the losses of the credits that an account was merged with',
    missedInRun: 36,
    replacements: [
      ['sum(a.lost_nano) filter (where', 'sum(a.lost_nano) filter (where a.id = v_account_id and'],
    ],
  },
  {
    without: 'the end of a risk in a settlement',
    replacements: [['then a.risk_nano - v_risk + v_loss', 'then a.risk_nano + v_loss']],
  },
  {
    without: 'the loss that a risk came to',
    replacements: [['then a.risk_nano - v_risk + v_loss', 'then a.risk_nano - v_risk']],
  },
  {
    without: 'the uniqueness of an idempotency key',
    missedInRun: 68,
    replacements: [
      ["if p_request ->> 'idempotency_key_hash' is not null then", 'if false then'],
      ['create unique index hold_idempotency_key', 'create index hold_idempotency_key'],
    ],
  },
  {
    without: 'the condition that a hold is open when it is resolved',
    replacements: [["if v_known_state <> 'open' or (", 'if ('], NO_OPEN_CHECK, NO_TRANSFER_KEY],
  },
  {
    without: 'the part that is held, which a merge leaves',
    missedInRun: 13,
    replacements: [
      ['v_moved := least(v_from.balance_nano - v_from.held_nano,', 'v_moved := least(v_from.balance_nano,'],
      NO_AVAILABLE_CHECK,
    ],
  },
  {
    without: 'the look for a merge that was done',
    replacements: [['where t.reference = v_reference having', 'where false having'], NO_TRANSFER_KEY],
  },
  {
    without: 'the bound of a charge',
    replacements: [
      ['least(v_cost_nano, v_held)', 'v_cost_nano'],
      ['constraint hold_bounds_charge check (charged_nano <= amount_nano),', ''],
      NO_AVAILABLE_CHECK,
    ],
  },
  {
    without: 'the hold as the bound of a charge where more is available',
    replacements: [
      ['least(v_cost_nano, v_held)', 'least(v_cost_nano, v_balance)'],
      ['constraint hold_bounds_charge check (charged_nano <= amount_nano),', ''],
    ],
  },
  {
    without: 'the charge of a checkpoint',
    missedInRun: 13,
    replacements: [["if v_state = 'expired' and v_checkpoint is null then", "if v_state = 'expired' then"]],
  },
  {
    without: 'the look at the time of a hold that is swept',
    missedInRun: 13,
    replacements: [["or (v_state = 'expired' and v_expires_at > p_now)", '']],
  },
  {
    without: 'the end of the hold in a settlement',
    replacements: [['set held_nano = a.held_nano - v_held,', 'set']],
  },
  {
    without: 'the transfer of a charge',
    replacements: [['and t.amount_nano > 0;', 'and t.amount_nano > 0 and t.leg > 0;']],
  },
  {
    without: "the transfer of the operator's loss",
    replacements: [['and t.amount_nano > 0;', 'and t.amount_nano > 0 and t.leg < 1;']],
  },
  {
    without: "the sum of a key's usage",
    missedInRun: 7,
    replacements: [['then k.usage_nano + v_charged', 'then k.usage_nano']],
  },
  {
    without: 'the uniqueness of a credit',
    replacements: [NO_TRANSFER_KEY],
  },
  {
    without: 'the uniqueness of a reversal',
    replacements: [
      ['if not exists (select from transfer t where t.reference = v_reference) then', 'if true then'],
      NO_TRANSFER_KEY,
    ],
  },
  {
    without: 'the bound of a reversal',
    replacements: [
      ['select least(v_amount, a.balance_nano - a.held_nano),', 'select v_amount,'],
      NO_AVAILABLE_CHECK,
    ],
  },
  {
    without: 'the debt that a reversal leaves',
    replacements: [['debt_nano = a.debt_nano + v_debt', 'debt_nano = a.debt_nano']],
  },
  {
    without: 'the transfer of a debt',
    replacements: [['if v_debt > 0 then', 'if false then']],
  },
  {
    without: 'the debt that a payment pays first',
    missedInRun: 7,
    replacements: [['least(a.debt_nano, v_amount)', '0'], NO_DEBT_CHECK],
  },
  {
    without: 'the debt that what becomes free pays first',
    missedInRun: 8,
    replacements: [['least(a.debt_nano, v_freed)', '0'], NO_DEBT_CHECK],
  },
  {
    without: 'the debt that merged money pays first',
    replacements: [['least(a.debt_nano, p_moved)', '0'], NO_DEBT_CHECK],
  },
  {
    without: 'the debt that a merge carries along',
    replacements: [['elsif p_carried > 0 then', 'elsif false then']],
  },
  {
    without: 'the look for debts of merged credits after a payment',
    missedInRun: 7,
    replacements: [
      [
        'perform collect_debts(v_group_id, v_reference);\n    end if;\n    if v_into_id',
        'null;\n    end if;\n    if v_into_id',
      ],
    ],
  },
  {
    without: 'the way on for what was asked for before a merge',
    missedInRun: 33,
    replacements: [['if v_into_id <> v_account_id then', 'if false then']],
  },
  {
    without: 'the first of several such ways',
    missedInRun: 33,
    replacements: [['then -l.id else l.id end', 'then l.id else -l.id end']],
  },
  {
    without: 'the look for merged money after a reversal',
    missedInRun: 7,
    replacements: [
      [
        'perform collect_debts(v_group_id, v_reference);\n    end if;\n  end if;\n\n  -- A repetition',
        'null;\n    end if;\n  end if;\n\n  -- A repetition',
      ],
    ],
  },
  {
    without: 'the look for debts of merged credits when a hold ends',
    replacements: [['if v_group_id is not null and v_freed > 0 then', 'if false then']],
  },
  {
    without: 'the look for debts of merged credits after a merge',
    missedInRun: 24,
    replacements: [['perform collect_debts(v_group_id, p_reference);', '']],
  },
  {
    without: 'the bound of what a credit pays for another',
    missedInRun: 24,
    replacements: [
      [
        'select a.id, least(a.balance_nano - a.held_nano, a.merged_nano)',
        'select a.id, a.balance_nano - a.held_nano',
      ],
      ['a.balance_nano > a.held_nano and a.merged_nano > 0', 'a.balance_nano > a.held_nano'],
    ],
  },
  {
    without: 'the bound of what others pay for a credit',
    missedInRun: 28,
    replacements: [
      ['select a.id, least(a.debt_nano, -a.merged_nano) as owed', 'select a.id, a.debt_nano as owed'],
      ['a.debt_nano > 0 and a.merged_nano < 0', 'a.debt_nano > 0'],
    ],
  },
  {
    without: 'the credits that were merged with the merged one before',
    missedInRun: 28,
    replacements: [['or a.merge_group_id = v_from_group_id', '']],
  },
  {
    without: 'the sum of what merges have brought',
    replacements: [['merged_nano = a.merged_nano + p_moved', 'merged_nano = a.merged_nano']],
  },
]
