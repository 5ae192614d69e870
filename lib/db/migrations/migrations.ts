import { initial } from './0001-initial'
import { paymentNames } from './0002-payment-names'
import { arrivals } from './0003-arrivals'
import { reversals } from './0004-reversals'
import { refunds } from './0005-refunds'
import type { Migration } from './migration'

/** In the order in which they run. Add at the end; never change or reorder what a deployment has run. */
export const MIGRATIONS: readonly Migration[] = [initial, paymentNames, arrivals, reversals, refunds]
