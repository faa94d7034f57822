// The service worker shows notifications, and opens the page that one is about.

self.addEventListener("push", (e) => {
  let notice = {};
  try {
    notice = e.data.json();
  } catch { /* then the words below */ }
  // Each push shows something: browsers end subscriptions whose pushes show nothing.
  e.waitUntil(self.registration.showNotification(notice.title || "ccdir", {
    body: notice.body || "",
    tag: notice.tag || "ccdir",
    renotify: true,
    icon: "/assets/icon-192.png",
    data: { url: notice.url || "/" },
  }));
});

self.addEventListener("notificationclick", (e) => {
  e.notification.close();
  const url = new URL(e.notification.data.url, self.location.origin);
  if (url.origin !== self.location.origin) return;
  e.waitUntil((async () => {
    for (const page of await self.clients.matchAll({ type: "window" })) {
      if (new URL(page.url).pathname === url.pathname) return page.focus();
    }
    return self.clients.openWindow(url.href);
  })());
});
