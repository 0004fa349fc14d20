import type { Installation } from '../installation.ts'

const LISTED = (name: string) => `The service must be started with --allowed-host ${name}, or it refuses this name.`

/** A name of its own, TLS and a login; the page works at the root of a name only. */
export function nginxConf({ publicName, address }: Installation): string {
  return `# /etc/nginx/conf.d/svc-quota-monitor.conf
# ${LISTED(publicName)}
# Make the login:  htpasswd -c /etc/nginx/svc-quota-monitor.users ana

server {
    listen 443 ssl;
    server_name ${publicName};

    ssl_certificate /etc/letsencrypt/live/${publicName}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/${publicName}/privkey.pem;

    # The service has no login of its own: whoever passes here reads everything it shows.
    auth_basic "quota";
    auth_basic_user_file /etc/nginx/svc-quota-monitor.users;

    location / {
        proxy_pass http://${address};
        proxy_http_version 1.1;
        # The name the browser asked for; the service checks it.
        proxy_set_header Host $host;
        proxy_set_header Connection "";
        # The login is for this proxy, and no business of the service.
        proxy_set_header Authorization "";
    }
}
`
}

export function caddyfile({ publicName, address }: Installation): string {
  return `# /etc/caddy/Caddyfile
# ${LISTED(publicName)}
# Make the login:  caddy hash-password  and set QUOTA_USER and QUOTA_PASSWORD_HASH for the service of Caddy.

${publicName} {
	basicauth {
		{$QUOTA_USER} {$QUOTA_PASSWORD_HASH}
	}
	reverse_proxy ${address} {
		# The login is for this proxy, and no business of the service.
		header_up -Authorization
	}
}
`
}
