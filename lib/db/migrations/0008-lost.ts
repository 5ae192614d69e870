import type { Migration } from './migration'

/** What an account's calls of one day have cost the operator beyond the charges. */
export const lost: Migration = {
  name: '0008-lost',
  statements: [`alter table account add column lost_nano nano_total not null default 0`],
  afterwards: [
    // Waits for running calls; all later ones use the new text of the functions.
    `lock table hold in access exclusive mode`,
    `do $$
    declare
      v_account_id uuid;
    begin
      for v_account_id in
        select distinct a.id
        from account a
        join hold h on h.account_id = a.id and (h.created_at at time zone 'UTC')::date = a.risk_day
        where h.loss_nano > 0
        order by 1
      loop
        perform from account a where a.id = v_account_id for update;
        update account a set lost_nano = (
            select coalesce(sum(h.loss_nano), 0) from hold h
            where h.account_id = a.id and (h.created_at at time zone 'UTC')::date = a.risk_day
          )
          where a.id = v_account_id;
      end loop;
    end $$`,
  ],
}
