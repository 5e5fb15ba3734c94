import type { ReactNode } from 'react'

export const metadata = { title: 'Salon Spree' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" style={{ colorScheme: 'light dark' }}>
      <body style={{ maxWidth: '60rem', margin: '2rem auto', padding: '0 1rem', fontFamily: 'system-ui' }}>
        {children}
      </body>
    </html>
  )
}
