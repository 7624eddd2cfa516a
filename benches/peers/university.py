"""The workloads over the university: the sixteen kinds of query that LinGBM has. Where LinGBM asks for all rows of a list, these ask
for its first page, so that each peer serves them with its usual bound."""

from workload import Workload, nested, objects, one, pages


def students(size, columns, flags="", where="true", university="t.id"):
    return "'students', " + nested(columns, f"graduate_student WHERE university_id = {university} AND {where}", "id", size, flags)


def advised(word):
    return f"advisor_id IN (SELECT faculty_id FROM professor WHERE research_interest LIKE '%' || {word} || '%')"


DEPARTMENT = "'department', json_build_object('id', {}.department_id)"
COURSES = "'courses', " + nested("'id', c.graduate_course_id", "graduate_enrolment WHERE graduate_student_id = c.id",
                                 "graduate_course_id", 5)

# The columns of `c` in lists inside of lists have other names.
FAR = one("'id', d.id, 'university', json_build_object('id', d.university_id, "
          + students(10, "'id', c.id, 'email', c.email, " + DEPARTMENT.format("c"), university="d.university_id") + ")",
          "department d WHERE d.id = c.department_id")
TITLES = "'publications', " + nested("'title', c.title", "publication WHERE author_id = c.id", "id", 5)
PAPERS = "'publications', " + nested("'id', c.id", "publication WHERE author_id = c.id", "id", 5)
LATEST = "'publications', " + nested("'id', c.id", "publication WHERE author_id = c.advisor_id", "title DESC, id DESC", 5)


def searched(name, about, where, ages=""):
    """Students of a university whose advisor has an interest."""
    columns = students(20, f"'id', c.id, 'email', c.email, {COURSES}", where=f"{advised('word')} {where}")
    return Workload(name, about, f"""SELECT json_build_array(json_build_object('id', t.id, 'word', word {ages}),
        json_build_object('one', json_build_object({columns}))) FROM (SELECT id, 'Research' || id % 20 AS word, 25 + id % 10 AS least
        FROM university ORDER BY md5(id::text) LIMIT 20) t""")


WORKLOADS = [
    Workload("L1", "a faculty member's university and its graduates", objects(
        "faculty", "'university', " + one(students(50, "'id', c.id, 'email', c.email", university="u.id"),
                                          "university u WHERE u.id = t.doctoral_university_id"))),
    Workload("L2", "a university's doctors and their publications", objects(
        "university", "'faculties', " + nested("'id', c.id, " + TITLES, "faculty WHERE doctoral_university_id = t.id", "id", 20))),
    Workload("L3", "a chain to one: group, department, head, university", objects(
        "research_group", "'department', json_build_object('head', " + one(
            "'faculty', json_build_object('id', f.id, 'email', f.email, 'university', json_build_object('id', f.doctoral_university_id))",
            "professor p JOIN faculty f ON f.id = p.faculty_id WHERE p.headed_department_id = t.department_id") + ")")),
    Workload("L4", "a lecturer's university, its graduates, their advisors' departments", objects(
        "lecturer", "'faculty', json_build_object('university', " + one("'id', l.doctoral_university_id, " + students(
            20, "'id', c.id, 'email', c.email, 'advisor', json_build_object('faculty', " + one(
                "'id', f.id, 'email', f.email, " + DEPARTMENT.format("f"), "faculty f WHERE f.id = c.advisor_id") + ")",
            university="l.doctoral_university_id"), "faculty l WHERE l.id = t.faculty_id") + ")", key="faculty_id")),
    Workload("L5", "a cycle: department, university, graduates, their departments, and again", objects(
        "department", "'id', t.id, 'university', json_build_object('id', t.university_id, "
        + students(10, "'id', c.id, 'email', c.email, 'department', " + FAR, university="t.university_id") + ")")),
    Workload("L6", "a university's graduates and their advisors' departments", objects(
        "university", students(50, "'id', c.id, 'advisor', json_build_object('faculty', " + one(
            DEPARTMENT.format("f"), "faculty f WHERE f.id = c.advisor_id") + ")"))),
    Workload("L7", "the third page of a university's graduates", objects(
        "university", """'students', (SELECT json_build_object('nodes', json_agg(json_build_object('id', c.id,
            'advisor', json_build_object('id', c.advisor_id)) ORDER BY place) FILTER (WHERE place BETWEEN 21 AND 30),
            'pageInfo', json_build_object('hasPreviousPage', true, 'hasNextPage', count(*) > 30))
            FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM graduate_student WHERE university_id = t.id) c)""")),
    Workload("L8", "graduates by age and name", pages(
        "graduate_student", "'id', t.id, 'telephone', t.telephone, 'email', t.email", "age, name, id", 10)),
    Workload("L9", "a university's graduates and their advisors' publications by title", objects(
        "university", students(20, "'id', c.id, 'advisor', json_build_object('faculty', json_build_object(" + LATEST + "))"))),
    Workload("L10", "publications with a word in the title", """SELECT json_build_array(json_build_object('word', word),
        json_build_object('page', """ + nested("'id', c.id, 'title', c.title, 'abstract', c.abstract",
                                               "publication WHERE title LIKE '%' || word || '%'", "id", 50, "next")
             + ")) FROM (SELECT 'Word' || n AS word FROM generate_series(11, 99, 8) n) t"),
    Workload("L11", "graduates of a university, by a filter on the relation", """SELECT json_build_array(json_build_object('id', t.id),
        json_build_object('page', """ + nested("'id', c.id, 'advisor', json_build_object('id', c.advisor_id)",
                                               "graduate_student WHERE university_id = t.id", "id", 50, "next")
             + ")) FROM (SELECT * FROM university ORDER BY md5(id::text) LIMIT 20) t"),
    Workload("L12", "a university's doctors in one department", """SELECT json_build_array(
        json_build_object('id', t.doctoral_university_id, 'department', t.department_id), json_build_object('one', json_build_object(
        'faculties', """ + nested("'id', c.id, 'email', c.email, " + PAPERS,
                                  """faculty WHERE doctoral_university_id = t.doctoral_university_id
                                  AND department_id = t.department_id""", "id", 50)
             + ")))  FROM (SELECT * FROM faculty ORDER BY md5(id::text) LIMIT 20) t"),
    searched("L13", "graduates whose advisor has an interest, with their courses", ""),
    searched("L14", "the same above an age", "AND age > least", ", 'age', least"),
    Workload("L15", "how many graduates a university has", objects(
        "university", "'students', json_build_object('totalCount', (SELECT count(*) FROM graduate_student WHERE university_id = t.id))")),
    Workload("L16", "their average, greatest and least age", objects(
        "(SELECT university_id, avg(age), max(age), min(age) FROM graduate_student GROUP BY university_id) u",
        "'average', t.avg, 'max', t.max, 'min', t.min", key="university_id")),
]
