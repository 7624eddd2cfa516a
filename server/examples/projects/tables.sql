CREATE TABLE tenant (slug TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE account (id uuid PRIMARY KEY, tenant_slug TEXT NOT NULL REFERENCES tenant, email TEXT NOT NULL UNIQUE);
CREATE TABLE project (id uuid PRIMARY KEY, tenant_slug TEXT NOT NULL REFERENCES tenant, name TEXT NOT NULL, settings jsonb);
CREATE TABLE member (
    project_id uuid NOT NULL REFERENCES project, account_id uuid NOT NULL REFERENCES account,
    role role NOT NULL, PRIMARY KEY (project_id, account_id)
);
CREATE TABLE task (id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES project, parent_id uuid REFERENCES task,
    title TEXT NOT NULL, is_done BOOLEAN NOT NULL DEFAULT FALSE);
CREATE TABLE comment (id uuid PRIMARY KEY, task_id uuid NOT NULL REFERENCES task,
    account_id uuid NOT NULL REFERENCES account, text TEXT NOT NULL);
CREATE INDEX member_of_account ON member (account_id, project_id);
CREATE INDEX task_of_project ON task (project_id, id);
CREATE INDEX task_of_parent ON task (parent_id, id);
CREATE INDEX comment_of_task ON comment (task_id, id);
