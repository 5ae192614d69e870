import type { Migration } from './migration'

/**
 * Keeps queries fast as the number of calls grows: the total charged to an account and a key is stored as a sum, and
 * each way of listing calls has an index in its own order.
 */
export const growth: Migration = {
  name: '0006-growth',
  statements: [
    ...['account', 'api_key'].map(
      table => `alter table ${table} add column charged_nano nano_total not null default 0`,
    ),
    ...[
      ['account', 'account_id'],
      ['api_key', 'key_id'],
    ].map(
      ([table, column]) => `update ${table} set charged_nano = charged.total
        from (select ${column} as id, sum(charged_nano) as total from hold where charged_nano > 0 group by 1) charged
        where charged.id = ${table}.id`,
    ),
    `drop index hold_usage`,
    `create index hold_usage on hold (account_id, created_at desc, id desc) include (charged_nano)
      where state <> 'open'`,
    `create index hold_usage_of_key on hold (key_id, created_at desc, id desc)
      include (charged_nano, resolved_at) where state <> 'open' and key_id is not null`,
    `create index hold_usage_of_model on hold (account_id, model_id, created_at desc, id desc)
      where state <> 'open'`,
    `create index hold_answer on hold (account_id, (usage ->> 'answerId'), created_at desc)
      where usage ->> 'answerId' is not null`,
    // For all accounts, by time: rows are stored in that order, so that a few bytes per range of pages suffice.
    `create index hold_created on hold using brin (created_at) with (pages_per_range = 32, autosummarize = on)`,
    // Those with a loss are kept, and should not be read again by every sweep.
    `drop index hold_released`,
    `create index hold_forgettable on hold (resolved_at) where state = 'released' and loss_nano = 0`,
  ],
  afterwards: [
    // Waits for running calls; all later ones use the new text of the functions.
    `lock table hold in access exclusive mode`,
    `do $$
    declare
      v_account_id uuid;
    begin
      for v_account_id in
        select distinct h.account_id from hold h, schema_migration m
        where m.name = '0006-growth' and h.resolved_at >= m.applied_at - interval '1 minute'
        order by 1
      loop
        perform from account a where a.id = v_account_id for update;
        update account a set charged_nano = charged.total
          from (select sum(charged_nano) as total from hold where account_id = v_account_id) charged
          where a.id = v_account_id and a.charged_nano <> charged.total;
        update api_key k set charged_nano = charged.total
          from (select key_id as id, sum(charged_nano) as total from hold where account_id = v_account_id group by 1) charged
          where k.id = charged.id and k.charged_nano <> charged.total;
      end loop;
    end $$`,
  ],
}
