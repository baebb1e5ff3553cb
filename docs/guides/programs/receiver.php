<?php
// Receives webhooks without any library. WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 receiver.php
$key = base64_decode(preg_replace('/^whsec_/', '', getenv('WEBHOOK_SECRET')));
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';

function isGenuine(string $key, string $id, string $time, string $body): bool
{
    if ($id === '' || !ctype_digit($time) || abs(time() - (int) $time) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

if (!isGenuine($key, $id, $time, $body)) {
    http_response_code(401);
    exit();
}
// In your database: here a file for each id that was handled.
$handled = @fopen(sys_get_temp_dir() . '/webhook-' . hash('sha256', $id), 'x');
if ($handled !== false) {
    $event = json_decode($body, true);
    error_log($event['type'] . ' ' . ($event['data']['_id'] ?? '')); // Put it into a queue here.
}
http_response_code(204);
