import type { Migration } from './migration'
import { protectTable } from './protect'

/**
 * Each time that a credit was emptied into another, in order: payments requested before that are passed on (leads_to).
 * An account itself knew only the last time, and forgot it when something was merged into it, so that whoever still had
 * an old credit decided where its payments go.
 */
export const leaving: Migration = {
  name: '0013-leaving',
  statements: [
    `create table leaving (
      id bigint generated always as identity,
      account_id uuid not null references account,
      for_account_id uuid not null,
      left_at timestamptz(3) not null,
      primary key (account_id, id)
    )`,
    ...protectTable('leaving'),
    // Under the lock, so that nobody leaves between the copy and the end of the columns.
    `do $$
    begin
      lock table account in access exclusive mode;
      insert into leaving (account_id, for_account_id, left_at)
        select id, left_for_id, left_at from account where left_for_id is not null order by left_at;
      alter table account drop column left_for_id, drop column left_at;
    end $$`,
  ],
}
