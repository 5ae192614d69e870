export default function RootLayout({ children }: LayoutProps<'/[locale]'>) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
