'use client'

import { CircleUserRound, MessageSquareText, Tags } from 'lucide'
import { useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { type Flow, flowOfPath } from '@/lib/telemetry/flow'
import styles from './shell-nav.module.css'

const ITEMS = [
  { flow: 'chat', href: '/', icon: MessageSquareText },
  { flow: 'pricing', href: '/pricing', icon: Tags },
  { flow: 'account', href: '/account', icon: CircleUserRound },
] as const satisfies readonly { flow: Flow; href: string; icon: unknown }[]

/**
 * The way between the flows: beside the name on a wide screen, under the thumb on a phone. Paying is not
 * among them because its link always stands beside the balance.
 */
export function ShellNav() {
  const t = useTranslations('shell')
  const currentFlow = flowOfPath(usePathname())
  return (
    <nav className={styles.nav} aria-label={t('navigation')}>
      {ITEMS.map(({ flow, href, icon }) => (
        <Link
          key={flow}
          href={href}
          className={styles.link}
          aria-current={flow === currentFlow ? 'page' : undefined}
        >
          <Icon icon={icon} size={20} strokeWidth={1.75} className={styles.icon} />
          {t(`flow.${flow}`)}
        </Link>
      ))}
    </nav>
  )
}
