import type { Migration } from './migration'
import { protectTable } from './protect'

/** The totals of a month's calls by account and key, for months whose calls are no longer listed one by one. */
export const usageMonth: Migration = {
  name: '0007-usage-month',
  statements: [
    `create table usage_month (
      account_id uuid not null,
      key_id uuid,
      month date not null check (extract(day from month) = 1),
      call_count bigint not null,
      failed_call_count bigint not null check (failed_call_count between 0 and call_count),
      charged_nano nano_total not null,
      loss_nano nano_total not null,
      constraint usage_month_once unique nulls not distinct (account_id, month, key_id)
    )`,
    ...protectTable('usage_month'),
  ],
}
